ALTER TABLE `top_up` ADD `total_micros` integer;--> statement-breakpoint
ALTER TABLE `top_up` ADD `invoice_id` text;--> statement-breakpoint
ALTER TABLE `top_up` ADD `invoice_number` text;--> statement-breakpoint
ALTER TABLE `top_up` ADD `invoice_pdf_url` text;--> statement-breakpoint
ALTER TABLE `top_up` ADD `credit_notes` text;