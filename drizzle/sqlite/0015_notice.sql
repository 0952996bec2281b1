ALTER TABLE `billing_account` ADD `notice` text;--> statement-breakpoint
ALTER TABLE `billing_account` ADD `notice_attempts` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `billing_account` ADD `notice_not_before` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `billing_account` ADD `notice_sent_to` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `top_up` ADD `tax_micros` integer DEFAULT 0 NOT NULL;