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
CREATE INDEX `credit_grant_live` ON `credit_grant` (`organization_id`) WHERE remaining_micros > 0;--> statement-breakpoint
CREATE INDEX `credit_grant_by_organization` ON `credit_grant` (`organization_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `usage_event` (
	`id` text PRIMARY KEY NOT NULL,
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
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `usage_event_by_time` ON `usage_event` (`organization_id`,`created_at`);