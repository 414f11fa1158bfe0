"""Language models behind one question: any OpenAI-compatible endpoint, or recorded answers."""
