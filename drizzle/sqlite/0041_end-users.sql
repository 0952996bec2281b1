CREATE TABLE `end_user_day` (
	`organization_id` text NOT NULL,
	`day` integer NOT NULL,
	`end_user` text NOT NULL,
	`requests` integer NOT NULL,
	`errors` integer NOT NULL,
	`characters` integer NOT NULL,
	`audio_seconds` real NOT NULL,
	`tokens` integer NOT NULL,
	`cost_micros` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `day`, `end_user`)
);
--> statement-breakpoint
ALTER TABLE `organization` ADD `end_user_header` text;--> statement-breakpoint
ALTER TABLE `organization` ADD `end_users_hashed` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `organization` ADD `end_user_key` text;--> statement-breakpoint
ALTER TABLE `request_log` ADD `end_user` text;--> statement-breakpoint
CREATE INDEX `request_log_by_end_user` ON `request_log` (`organization_id`,`end_user`,`id`) WHERE end_user is not null;