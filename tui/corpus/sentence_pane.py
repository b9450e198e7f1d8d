"""What the corpus knows of the sentence with the cursor: translations, places, paraphrases."""

from __future__ import annotations

from corpusdb.display import cell_safe
from corpusdb.queries.corpus.sentence_detail import SentenceDetail
from tui.corpus.rows import counted
from tui.shown import Text
from tui.widgets.text_pane import TextPane

__all__ = ["SentencePane", "detail_text"]


class SentencePane(TextPane):
    """Shows the detail of one sentence."""

    def show_detail(self, text: str, detail: SentenceDetail) -> None:
        """Show what is known of a sentence."""
        self.show(detail_text(text, detail))


def detail_text(text: str, detail: SentenceDetail) -> Text:
    """The sentence, its translations with their languages and distances, and its places."""
    counts = (
        (len(detail.translations), "translation"),
        (detail.paraphrases, "paraphrase"),
        (len(detail.places), "place"),
    )
    told = ", ".join(counted(count, noun) for count, noun in counts)
    lines = [Text.assemble((cell_safe(text), "bold"), f"\n#{detail.sentence}: {told}")]
    lines += [
        Text.assemble((f"{each.language} {each.distance}  ", "bold"), cell_safe(each.text))
        for each in detail.translations
    ]
    lines += [Text(f"in {place}") for place in detail.places]
    return Text("\n").join(lines)
