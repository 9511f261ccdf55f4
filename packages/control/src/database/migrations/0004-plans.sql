-- The operator's commands create and change rate-limit policies and plans, as the application's role.
GRANT INSERT, UPDATE, DELETE ON rate_limit_policies, plans TO sallyport_app;
