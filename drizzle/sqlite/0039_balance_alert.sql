ALTER TABLE `credit_account` ADD `balance_alert_micros` integer;--> statement-breakpoint
ALTER TABLE `credit_account` ADD `balance_alerted_at` integer;