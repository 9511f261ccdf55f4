-- Most observations of a batch are of shapes that no other batch has. Merged later and more of them at once, each is rewritten a third as often;
-- whoever learns from them adds up what is not merged yet.
ALTER TABLE api_observations MODIFY SETTING merge_selector_base = 30;
