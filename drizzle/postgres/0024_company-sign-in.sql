ALTER TABLE "member" ADD COLUMN "source" text;--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "source" text;--> statement-breakpoint
ALTER TABLE "user" ADD COLUMN "operator_source" text;