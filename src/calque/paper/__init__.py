"""The paper's tables and figure, as published and as they come out here."""
