ALTER TABLE "request_log" ADD COLUMN "language" text;--> statement-breakpoint
ALTER TABLE "request_log" ADD COLUMN "final_text_ms" integer;