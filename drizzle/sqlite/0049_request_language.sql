ALTER TABLE `request_log` ADD `language` text;--> statement-breakpoint
ALTER TABLE `request_log` ADD `final_text_ms` integer;