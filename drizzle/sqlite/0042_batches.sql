CREATE TABLE `batch` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`key_id` text NOT NULL,
	`endpoint` text NOT NULL,
	`input_file_id` text NOT NULL,
	`output_file_id` text,
	`error_file_id` text,
	`metadata` text NOT NULL,
	`status` text NOT NULL,
	`lines` integer DEFAULT 0 NOT NULL,
	`completed_lines` integer DEFAULT 0 NOT NULL,
	`failed_lines` integer DEFAULT 0 NOT NULL,
	`errors` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`in_progress_at` integer,
	`finalizing_at` integer,
	`cancelling_at` integer,
	`ended_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `batch_by_project` ON `batch` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `batch_by_organization` ON `batch` (`organization_id`,`id`);--> statement-breakpoint
CREATE INDEX `batch_ended` ON `batch` (`ended_at`) WHERE ended_at is not null;--> statement-breakpoint
CREATE TABLE `batch_line` (
	`batch_id` text NOT NULL,
	`line` integer NOT NULL,
	`custom_id` text NOT NULL,
	`job_id` text,
	`refusal` text,
	PRIMARY KEY(`batch_id`, `line`),
	FOREIGN KEY (`batch_id`) REFERENCES `batch`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `batch_line_by_job` ON `batch_line` (`job_id`);--> statement-breakpoint
DROP INDEX `job_unfinished`;--> statement-breakpoint
ALTER TABLE `job` ADD `batch_id` text;--> statement-breakpoint
CREATE INDEX `job_unfinished` ON `job` (`organization_id`,`status`,`batch_id`) WHERE status in ('queued', 'in_progress');