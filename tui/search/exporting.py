"""Writing what was found to a file, while everything else goes on."""

from __future__ import annotations

from dataclasses import replace

from corpusdb.base.jobs import Job, Progress
from corpusdb.search.queries.concordance import Concordance, HitExport, Written, export_hits
from corpusdb.search.queries.line_categories import categories_of
from corpusdb.search.queries.search import Hits
from tui.kit.dialogs import FormDialog
from tui.kit.reader import DatabaseReader, StepwiseJob
from tui.search import forms
from tui.search.searching import CorpusSearch

__all__ = ["Exporting"]


class Exporting:
    """Exports what a search has found, one export at a time."""

    def __init__(self, search: CorpusSearch) -> None:
        self._search = search
        self._screen = search.screen
        self.job: StepwiseJob[Written] | None = None
        """The last export."""

    def begin_or_stop(self) -> None:
        """Stop the export that is under way, or ask where to write and begin one."""
        if self.job is not None and not self.job.is_over:
            self.job.stop()
            self._screen.say("the export was stopped; no file was written")
        elif self._search.found is None:
            self._screen.say("nothing to export yet", is_error=True)
        else:
            self._ask(self._search.found)

    def _ask(self, found: Hits | Concordance) -> None:
        words, languages = self._search.words, self._search.languages

        def answered(values: dict[str, str] | None) -> None:
            if values is not None:
                self.begin(found, forms.export_of(values, words, languages, found))

        check = lambda values: forms.export_of(values, words, languages, found)  # noqa: E731
        self._screen.app.push_screen(FormDialog("Export all hits", forms.export_fields(), check), answered)

    def begin(self, found: Hits | Concordance, export: HitExport) -> None:
        """Write hits to a file."""

        def watch(progress: Progress) -> None:
            self._screen.say(f"{progress.done:,} of {progress.total:,} {progress.stage} to {export.path}; e stops it")

        def done(written: Written) -> None:
            note = f"; {written.formulas}" if written.formulas.cells else ""
            self._screen.say(f"{written.hits:,} hits written to {export.path}{note}")

        name = self._search.words.categories

        def job_of(reader: DatabaseReader) -> Job[Written]:
            categories = categories_of(reader.store, name) if name else None
            return export_hits(reader.store, found, replace(export, categories=categories))

        job = self.job = StepwiseJob(job_of)
        self._screen.wait_for(lambda: self._screen.shell.runner.read_in_steps(job, watch, "export"), done)
