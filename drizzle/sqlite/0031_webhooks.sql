CREATE TABLE `webhook_delivery` (
	`id` text PRIMARY KEY NOT NULL,
	`endpoint_id` text NOT NULL,
	`event_id` text NOT NULL,
	`event_type` text NOT NULL,
	`status` text NOT NULL,
	`sends` integer NOT NULL,
	`attempts` integer NOT NULL,
	`status_code` integer,
	`error` text,
	`duration_ms` integer,
	`created_at` integer NOT NULL,
	`next_attempt_at` integer
);
--> statement-breakpoint
CREATE INDEX `webhook_delivery_by_endpoint` ON `webhook_delivery` (`endpoint_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_delivery_by_event` ON `webhook_delivery` (`event_id`);--> statement-breakpoint
CREATE INDEX `webhook_delivery_by_time` ON `webhook_delivery` (`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_endpoint` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`event_types` text NOT NULL,
	`secret` text NOT NULL,
	`secret_hint` text NOT NULL,
	`old_secret` text,
	`old_secret_until` integer,
	`status` text NOT NULL,
	`disabled_reason` text,
	`disabled_at` integer,
	`enabled_at` integer NOT NULL,
	`failures` integer NOT NULL,
	`succeeded_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `webhook_endpoint_by_organization` ON `webhook_endpoint` (`organization_id`,`id`);