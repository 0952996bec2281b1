ALTER TABLE "request_log" ADD COLUMN "responses" integer;--> statement-breakpoint
ALTER TABLE "request_log" ADD COLUMN "input_tokens" integer;--> statement-breakpoint
ALTER TABLE "request_log" ADD COLUMN "output_tokens" integer;--> statement-breakpoint
ALTER TABLE "usage_total" ADD COLUMN "tokens" bigint DEFAULT 0;