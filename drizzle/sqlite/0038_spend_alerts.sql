CREATE TABLE `spend_alert` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`scope` text NOT NULL,
	`subject` text NOT NULL,
	`project_id` text,
	`percent` integer,
	`threshold_micros` integer,
	`channel` text NOT NULL,
	`recipients` text NOT NULL,
	`subject_prefix` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `spend_alert_by_subject` ON `spend_alert` (`organization_id`,`subject`);--> statement-breakpoint
CREATE INDEX `spend_alert_by_project` ON `spend_alert` (`organization_id`,`project_id`,`id`);--> statement-breakpoint
CREATE TABLE `spend_alert_firing` (
	`organization_id` text NOT NULL,
	`alert_id` text NOT NULL,
	`start` integer NOT NULL,
	`threshold_micros` integer NOT NULL,
	`micros` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `alert_id`, `start`, `threshold_micros`)
);
--> statement-breakpoint
CREATE INDEX `spend_alert_firing_by_time` ON `spend_alert_firing` (`created_at`);--> statement-breakpoint
CREATE TABLE `spend_count` (
	`organization_id` text NOT NULL,
	`subject` text NOT NULL,
	`start` integer NOT NULL,
	`micros` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `subject`, `start`)
);
