ALTER TABLE `request_log` ADD `label` text;--> statement-breakpoint
CREATE INDEX `request_log_by_label` ON `request_log` (`organization_id`,`label`,`id`) WHERE label is not null;