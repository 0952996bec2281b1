CREATE TABLE `admin_api_key` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`last4` text NOT NULL,
	`hash` blob NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `admin_api_key_hash_unique` ON `admin_api_key` (`hash`);--> statement-breakpoint
CREATE INDEX `admin_api_key_by_organization` ON `admin_api_key` (`organization_id`,`id`);--> statement-breakpoint
CREATE TABLE `service_account` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `service_account_by_project` ON `service_account` (`project_id`,`id`);--> statement-breakpoint
ALTER TABLE `api_key` ADD `service_account_id` text;--> statement-breakpoint
ALTER TABLE `usage_total` ADD `abandoned` integer DEFAULT 0;