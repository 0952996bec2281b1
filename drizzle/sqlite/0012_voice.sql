CREATE TABLE `voice` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`model` text NOT NULL,
	`engine` text,
	`blend` text,
	`duration_ms` integer,
	`consent` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `voice_by_organization` ON `voice` (`organization_id`,`id`);--> statement-breakpoint
CREATE TABLE `voice_part` (
	`voice_id` text NOT NULL,
	`part` text NOT NULL,
	`sealed` blob NOT NULL,
	PRIMARY KEY(`voice_id`, `part`),
	FOREIGN KEY (`voice_id`) REFERENCES `voice`(`id`) ON UPDATE no action ON DELETE cascade
);
