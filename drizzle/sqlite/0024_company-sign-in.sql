ALTER TABLE `member` ADD `source` text;--> statement-breakpoint
ALTER TABLE `session` ADD `source` text;--> statement-breakpoint
ALTER TABLE `user` ADD `operator_source` text;