CREATE TABLE `job` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`key_id` text NOT NULL,
	`environment` text NOT NULL,
	`plan` text NOT NULL,
	`request_id` text NOT NULL,
	`kind` text NOT NULL,
	`model` text NOT NULL,
	`price_micros` integer NOT NULL,
	`response_format` text NOT NULL,
	`reading` text NOT NULL,
	`metadata` text NOT NULL,
	`file_id` text,
	`url` blob,
	`bytes` integer,
	`is_read_once` integer DEFAULT false NOT NULL,
	`status` text NOT NULL,
	`samples` integer,
	`done_samples` integer DEFAULT 0 NOT NULL,
	`is_recognized` integer DEFAULT false NOT NULL,
	`reserved_micros` integer DEFAULT 0 NOT NULL,
	`cost_micros` integer DEFAULT 0 NOT NULL,
	`error_code` text,
	`error_message` text,
	`warnings` text,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`completed_at` integer,
	`expires_at` integer,
	`deleted_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `job_by_project` ON `job` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `job_by_organization` ON `job` (`organization_id`,`id`);--> statement-breakpoint
CREATE INDEX `job_unfinished` ON `job` (`organization_id`,`status`) WHERE status in ('queued', 'in_progress');--> statement-breakpoint
CREATE INDEX `job_expiring` ON `job` (`expires_at`) WHERE status = 'completed';--> statement-breakpoint
CREATE INDEX `job_ended` ON `job` (`completed_at`) WHERE completed_at is not null;--> statement-breakpoint
CREATE TABLE `job_part` (
	`job_id` text NOT NULL,
	`kind` text NOT NULL,
	`position` integer NOT NULL,
	`sealed` blob NOT NULL,
	PRIMARY KEY(`job_id`, `kind`, `position`),
	FOREIGN KEY (`job_id`) REFERENCES `job`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `file` ADD `readers` integer DEFAULT 0 NOT NULL;