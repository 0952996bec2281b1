ALTER TABLE "organization" ADD COLUMN "request_log_days" integer;--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "key_max_days" integer;--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "request_log_addresses" text DEFAULT 'full' NOT NULL;--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "data_retention" text DEFAULT 'none' NOT NULL;--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "request_logs_from" bigint;--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "delete_at" bigint;--> statement-breakpoint
ALTER TABLE "project" ADD COLUMN "data_retention" text;