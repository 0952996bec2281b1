CREATE TABLE `voucher` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`amount_micros` integer NOT NULL,
	`days` integer,
	`created_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`redeemed_by` text,
	`redeemed_at` integer,
	`voided_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `voucher_hash_unique` ON `voucher` (`hash`);