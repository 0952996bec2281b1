ALTER TABLE `credit_account` ADD `month_unmetered_micros` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `organization` ADD `plan` text DEFAULT 'prepaid' NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_event` ADD `plan` text DEFAULT 'prepaid' NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_total` ADD `unmetered_micros` integer DEFAULT 0 NOT NULL;