CREATE TABLE `client_secret` (
	`hash` blob PRIMARY KEY NOT NULL,
	`key_id` text NOT NULL,
	`session` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`key_id`) REFERENCES `api_key`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `client_secret_by_expiry` ON `client_secret` (`expires_at`);