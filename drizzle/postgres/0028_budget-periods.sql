CREATE TABLE "budget_period" (
	"organization_id" text NOT NULL,
	"subject" text NOT NULL,
	"start" bigint NOT NULL,
	"micros" bigint NOT NULL,
	CONSTRAINT "budget_period_organization_id_subject_start_pk" PRIMARY KEY("organization_id","subject","start")
);
--> statement-breakpoint
ALTER TABLE "usage_event" ADD COLUMN "budgets" jsonb;