CREATE TABLE "price" (
	"model" text NOT NULL,
	"valid_from" bigint NOT NULL,
	"micros" bigint NOT NULL,
	"background_micros" bigint,
	"created_at" bigint NOT NULL,
	CONSTRAINT "price_model_valid_from_pk" PRIMARY KEY("model","valid_from")
);
