CREATE TABLE `event` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`organization_id` text,
	`project_id` text,
	`data` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `event_by_time` ON `event` (`created_at`);--> statement-breakpoint
CREATE INDEX `event_by_organization` ON `event` (`organization_id`,`id`);--> statement-breakpoint
CREATE TABLE `work` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`group_id` text DEFAULT '' NOT NULL,
	`due_ms` integer NOT NULL,
	`expires_ms` integer,
	`lease_node` text,
	`lease_until_ms` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`payload` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `work_due` ON `work` (`kind`,`due_ms`);--> statement-breakpoint
CREATE INDEX `work_leased` ON `work` (`kind`,`group_id`) WHERE lease_until_ms > 0;--> statement-breakpoint
CREATE INDEX `work_expiring` ON `work` (`expires_ms`) WHERE expires_ms is not null;--> statement-breakpoint
ALTER TABLE `billing_account` ADD `card_expiry_told` integer;--> statement-breakpoint
ALTER TABLE `billing_account` ADD `low_balance_due` integer DEFAULT false NOT NULL;