ALTER TABLE `job` ADD `characters` integer;--> statement-breakpoint
ALTER TABLE `job` ADD `labels` blob;--> statement-breakpoint
ALTER TABLE `job` ADD `chapters` text;--> statement-breakpoint
ALTER TABLE `job` ADD `done_pieces` integer DEFAULT 0 NOT NULL;