-- Until when a receiver asked to be left alone (RFC 9110, section 10.2.3).
ALTER TABLE notification_destinations ADD COLUMN paused_until timestamptz(3);
