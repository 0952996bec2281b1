ALTER TABLE "job" ADD COLUMN "characters" bigint;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "labels" "bytea";--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "chapters" text;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "done_pieces" bigint DEFAULT 0 NOT NULL;