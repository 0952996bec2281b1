CREATE TABLE "end_user_day" (
	"organization_id" text NOT NULL,
	"day" bigint NOT NULL,
	"end_user" text NOT NULL,
	"requests" integer NOT NULL,
	"errors" integer NOT NULL,
	"characters" bigint NOT NULL,
	"audio_seconds" double precision NOT NULL,
	"tokens" bigint NOT NULL,
	"cost_micros" bigint NOT NULL,
	CONSTRAINT "end_user_day_organization_id_day_end_user_pk" PRIMARY KEY("organization_id","day","end_user")
);
--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "end_user_header" text;--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "end_users_hashed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "end_user_key" text;--> statement-breakpoint
ALTER TABLE "request_log" ADD COLUMN "end_user" text;--> statement-breakpoint
CREATE INDEX "request_log_by_end_user" ON "request_log" USING btree ("organization_id","end_user","id") WHERE end_user is not null;