-- Several API definitions a site, each with a name, and the versions of each.
CREATE TABLE site_documents (
  org_id uuid NOT NULL,
  site_id uuid NOT NULL,
  name text NOT NULL,
  -- The version in force.
  number integer NOT NULL,
  PRIMARY KEY (org_id, site_id, name),
  FOREIGN KEY (org_id, site_id) REFERENCES sites (org_id, id) ON DELETE CASCADE
);

CREATE TABLE site_document_versions (
  org_id uuid NOT NULL,
  site_id uuid NOT NULL,
  name text NOT NULL,
  number integer NOT NULL,
  format text NOT NULL CHECK (format IN ('openapi-3.2', 'openapi-3.1', 'openapi-3.0', 'swagger-2.0', 'graphql')),
  -- Of the text, before it is packed.
  size_bytes integer NOT NULL,
  -- Null for what the version before wrote, which did not count them.
  operations integer,
  content bytea NOT NULL,
  packing text NOT NULL CHECK (packing IN ('none', 'gzip')),
  -- The version that was brought back as this one.
  restored_from integer,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Empty for what the version before wrote.
  created_by text NOT NULL,
  PRIMARY KEY (org_id, site_id, name, number),
  FOREIGN KEY (org_id, site_id, name) REFERENCES site_documents (org_id, site_id, name) ON DELETE CASCADE
);
-- It is packed already.
ALTER TABLE site_document_versions ALTER COLUMN content SET STORAGE EXTERNAL;

-- Which version of the specification a stored document is of. Its text is JSON as one writer writes it.
CREATE FUNCTION format_of_definition(document text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE('openapi-' || substring(document FROM '"openapi":"(3\.[012])\.'), 'swagger-2.0')
$$;

-- What is there already is of all organizations, which row-level security keeps even from the owner.
ALTER TABLE site_definitions NO FORCE ROW LEVEL SECURITY;
INSERT INTO site_documents (org_id, site_id, name, number)
SELECT org_id, site_id, 'main', 1 FROM site_definitions;
INSERT INTO site_document_versions (org_id, site_id, name, number, format, size_bytes, content, packing, created_by)
SELECT org_id, site_id, 'main', 1, format_of_definition(document), octet_length(document),
  convert_to(document, 'UTF8'), 'none', ''
FROM site_definitions;
ALTER TABLE site_definitions FORCE ROW LEVEL SECURITY;
CALL make_tenant_table('site_documents');
CALL make_tenant_table('site_document_versions');

-- The version before writes site_definitions. What it writes while both run is the document named main.
CREATE FUNCTION adopt_site_definition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  next integer;
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM site_documents WHERE org_id = OLD.org_id AND site_id = OLD.site_id AND name = 'main';
    RETURN NULL;
  END IF;
  INSERT INTO site_documents AS d (org_id, site_id, name, number) VALUES (NEW.org_id, NEW.site_id, 'main', 1)
  ON CONFLICT (org_id, site_id, name) DO UPDATE SET number = d.number + 1
  RETURNING number INTO next;
  INSERT INTO site_document_versions (org_id, site_id, name, number, format, size_bytes, content, packing, created_by)
  VALUES (NEW.org_id, NEW.site_id, 'main', next, format_of_definition(NEW.document), octet_length(NEW.document),
    convert_to(NEW.document, 'UTF8'), 'none', '');
  RETURN NULL;
END $$;
CREATE TRIGGER adopt_site_definition AFTER INSERT OR UPDATE OR DELETE ON site_definitions
  FOR EACH ROW EXECUTE FUNCTION adopt_site_definition();
