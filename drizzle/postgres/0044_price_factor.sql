ALTER TABLE "organization" ADD COLUMN "price_factor" integer DEFAULT 10000 NOT NULL;--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "price_factor_from" bigint;--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "price_factor_before" integer DEFAULT 10000 NOT NULL;