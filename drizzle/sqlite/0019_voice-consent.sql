CREATE TABLE `voice_consent` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`language` text NOT NULL,
	`sealed` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `voice_consent_by_organization` ON `voice_consent` (`organization_id`,`id`);--> statement-breakpoint
ALTER TABLE `voice` ADD `consent_id` text;