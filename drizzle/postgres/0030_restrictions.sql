ALTER TABLE "api_key" ADD COLUMN "restrictions" jsonb;--> statement-breakpoint
ALTER TABLE "project" ADD COLUMN "restrictions" jsonb;--> statement-breakpoint
ALTER TABLE "project" ADD COLUMN "default_key_restrictions" jsonb;