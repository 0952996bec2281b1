CREATE TABLE "audit_event" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text,
	"type" text NOT NULL,
	"effective_at" bigint NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text,
	"actor_email" text,
	"address" text,
	"user_agent" text,
	"project_id" text,
	"resource_id" text,
	"changes" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "audit_event_by_organization" ON "audit_event" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "audit_event_by_time" ON "audit_event" USING btree ("effective_at");