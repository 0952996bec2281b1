CREATE TABLE "alias" (
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"targets" jsonb NOT NULL,
	"format" text,
	CONSTRAINT "alias_kind_name_pk" PRIMARY KEY("kind","name")
);
