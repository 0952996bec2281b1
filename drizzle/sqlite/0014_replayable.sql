CREATE TABLE `replayable_request` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`fingerprint` text NOT NULL,
	`request_id` text NOT NULL,
	`holder_id` text NOT NULL,
	`is_charged` integer NOT NULL,
	`lease_until` integer NOT NULL,
	`replays` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `replayable_request_by_expiry` ON `replayable_request` (`expires_at`);--> statement-breakpoint
ALTER TABLE `request_log` ADD `replay_of` text;