CREATE TABLE `file` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`purpose` text NOT NULL,
	`filename` text NOT NULL,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `file_by_project` ON `file` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `file_expiring` ON `file` (`expires_at`) WHERE expires_at is not null;--> statement-breakpoint
CREATE TABLE `file_part` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`owner_id` text NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`bytes` integer NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `file_part_by_owner` ON `file_part` (`owner_id`,`position`);--> statement-breakpoint
CREATE INDEX `file_part_by_organization` ON `file_part` (`organization_id`,`bytes`);--> statement-breakpoint
CREATE INDEX `file_part_unfinished` ON `file_part` (`created_at`) WHERE state <> 'stored';--> statement-breakpoint
CREATE TABLE `upload` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`purpose` text NOT NULL,
	`filename` text NOT NULL,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`mime_type` text NOT NULL,
	`status` text NOT NULL,
	`kept_seconds` integer,
	`file_id` text,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `upload_by_project` ON `upload` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `upload_pending` ON `upload` (`organization_id`,`expires_at`) WHERE status = 'pending';