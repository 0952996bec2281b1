ALTER TABLE `organization` ADD `request_log_days` integer;--> statement-breakpoint
ALTER TABLE `organization` ADD `key_max_days` integer;--> statement-breakpoint
ALTER TABLE `organization` ADD `request_log_addresses` text DEFAULT 'full' NOT NULL;--> statement-breakpoint
ALTER TABLE `organization` ADD `data_retention` text DEFAULT 'none' NOT NULL;--> statement-breakpoint
ALTER TABLE `organization` ADD `request_logs_from` integer;--> statement-breakpoint
ALTER TABLE `organization` ADD `delete_at` integer;--> statement-breakpoint
ALTER TABLE `project` ADD `data_retention` text;