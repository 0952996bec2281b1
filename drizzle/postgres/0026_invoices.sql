ALTER TABLE "top_up" ADD COLUMN "total_micros" bigint;--> statement-breakpoint
ALTER TABLE "top_up" ADD COLUMN "invoice_id" text;--> statement-breakpoint
ALTER TABLE "top_up" ADD COLUMN "invoice_number" text;--> statement-breakpoint
ALTER TABLE "top_up" ADD COLUMN "invoice_pdf_url" text;--> statement-breakpoint
ALTER TABLE "top_up" ADD COLUMN "credit_notes" jsonb;