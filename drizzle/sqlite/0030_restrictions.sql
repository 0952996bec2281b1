ALTER TABLE `api_key` ADD `restrictions` text;--> statement-breakpoint
ALTER TABLE `project` ADD `restrictions` text;--> statement-breakpoint
ALTER TABLE `project` ADD `default_key_restrictions` text;