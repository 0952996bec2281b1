CREATE TABLE `api_key` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`environment` text NOT NULL,
	`prefix` text NOT NULL,
	`last4` text NOT NULL,
	`hash` blob NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer,
	`rotated_from` text,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_key_hash_unique` ON `api_key` (`hash`);--> statement-breakpoint
CREATE INDEX `api_key_by_project` ON `api_key` (`project_id`);--> statement-breakpoint
CREATE TABLE `credit_account` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`overdraft_micros` integer NOT NULL,
	`month` integer NOT NULL,
	`month_micros` integer NOT NULL,
	`monthly_limit_micros` integer,
	`purchased_micros` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `credit_grant` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`kind` text NOT NULL,
	`amount_micros` integer NOT NULL,
	`settled_micros` integer NOT NULL,
	`remaining_micros` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`top_up_id` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `credit_grant_top_up_id_unique` ON `credit_grant` (`top_up_id`);--> statement-breakpoint
CREATE INDEX `credit_grant_by_organization` ON `credit_grant` (`organization_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `installation` (
	`id` integer PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `organization` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`limit_overrides` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `project` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`is_default` integer NOT NULL,
	`created_at` integer NOT NULL,
	`archived_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `project_name` ON `project` (`organization_id`,`name`);--> statement-breakpoint
CREATE TABLE `request_log` (
	`id` text NOT NULL,
	`created_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`first_byte_ms` integer,
	`endpoint` text NOT NULL,
	`method` text NOT NULL,
	`status` integer NOT NULL,
	`error_code` text,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`key_id` text NOT NULL,
	`environment` text NOT NULL,
	`model` text,
	`voice` text,
	`stream` integer NOT NULL,
	`response_format` text,
	`characters` integer,
	`audio_seconds` real,
	`cost_micros` integer NOT NULL,
	`ip` text,
	`user_agent` text,
	PRIMARY KEY(`organization_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `usage_event` (
	`id` text NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`key_id` text NOT NULL,
	`environment` text NOT NULL,
	`request_id` text NOT NULL,
	`endpoint` text NOT NULL,
	`model` text NOT NULL,
	`unit` text NOT NULL,
	`quantity` real NOT NULL,
	`price_micros` integer NOT NULL,
	`cost_micros` integer NOT NULL,
	`overdraft_micros` integer NOT NULL,
	`burns` text NOT NULL,
	`month` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`)
) WITHOUT ROWID;
