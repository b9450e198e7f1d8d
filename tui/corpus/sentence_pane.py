"""What the corpus knows of the sentence with the cursor: translations, places, paraphrases, rewritings."""

from __future__ import annotations

from corpusdb.display import cell_safe
from corpusdb.queries.corpus.sentence_detail import SentenceDetail
from corpusdb.queries.rules.text_rewritings import TextRewritings
from corpusdb.reports.rules import lineage_told
from corpusdb.reports.wording.amounts import counted
from tui.shared.rewriting_lines import marked_texts
from tui.shown import Text
from tui.widgets.text_pane import TextPane

__all__ = ["SentencePane", "detail_text"]


class SentencePane(TextPane):
    """Shows the detail of one sentence."""

    def show_detail(self, text: str, detail: SentenceDetail, rewritings: TextRewritings | None = None) -> None:
        """Show what is known of a sentence, and the rewritings of it that are kept."""
        self.show(detail_text(text, detail, rewritings))


def detail_text(text: str, detail: SentenceDetail, rewritings: TextRewritings | None = None) -> Text:
    """The sentence, its translations with their languages and distances, its places, what rules make of it."""
    counts = [
        (len(detail.translations), "translations"),
        (detail.paraphrases, "paraphrases"),
        (len(detail.places), "places"),
    ]
    if rewritings is not None:
        counts.append((len(rewritings.rewritings), "rewritings"))
    told = ", ".join(counted(count, noun) for count, noun in counts)
    lines = [Text.assemble((cell_safe(text), "bold"), f"\n#{detail.sentence}: {told}")]
    lines += [
        Text.assemble((f"{each.language} {each.distance}  ", "bold"), cell_safe(each.text))
        for each in detail.translations
    ]
    lines += [Text(f"in {place}") for place in detail.places]
    for each in rewritings.rewritings if rewritings is not None else ():
        told = f"  {cell_safe(lineage_told(each))}"
        lines.append(Text.assemble(("by rules  ", "bold"), marked_texts(text, each)[1], told))
    return Text("\n").join(lines)
