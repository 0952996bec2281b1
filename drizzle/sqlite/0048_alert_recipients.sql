CREATE TABLE `alert_recipient` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`email` text NOT NULL,
	`state` text NOT NULL,
	`nonce` text NOT NULL,
	`tells_balance` integer DEFAULT false NOT NULL,
	`asked_at` integer,
	`answered_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alert_recipient_by_email` ON `alert_recipient` (`organization_id`,`email`);