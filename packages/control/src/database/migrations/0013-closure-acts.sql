-- What operators closed and opened at gateways and the gateways have reported, so that each act is recorded once.
CREATE TABLE closure_acts (
  id uuid PRIMARY KEY,
  gateway_id text NOT NULL,
  recorded_at timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE closure_acts IS 'not a tenant table: gateways serve every organization';
GRANT SELECT, INSERT ON closure_acts TO sallyport_app;
