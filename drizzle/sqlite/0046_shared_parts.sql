ALTER TABLE `file_part` ADD `also_of` text;--> statement-breakpoint
CREATE INDEX `file_part_also_of` ON `file_part` (`also_of`) WHERE also_of is not null;