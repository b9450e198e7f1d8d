"""The study of Denoual (2005) as a whole, or parts of it."""

from __future__ import annotations

from dataclasses import dataclass

from corpusdb.base.jobs import Job
from corpusdb.corpus.store import Store
from corpusdb.studies.homogeneity.queries import Correlation, LanguageProfile, correlations_of, language_profile
from corpusdb.studies.homogeneity.request import Scale, StudyRequest, check_request, scale_of
from corpusdb.studies.homogeneity.translation_curves import (
    PerplexityCurves,
    TranslationCurves,
    perplexity_curves,
    system_named,
    translation_curves,
)
from corpusdb.translation.queries.example_pairs import direction_of

__all__ = ["HomogeneityStudy", "homogeneity_study"]


@dataclass(frozen=True, slots=True)
class HomogeneityStudy:
    """What was found; parts that were not asked for are empty."""

    request: StudyRequest
    profiles: tuple[LanguageProfile, ...]
    correlations: tuple[Correlation, ...]
    perplexity: tuple[PerplexityCurves, ...]
    translation: TranslationCurves | None


def homogeneity_study(store: Store, request: StudyRequest) -> Job[HomogeneityStudy]:
    """Measure the corpus, and draw the curves. Nothing is stored.

    Raises UsageError for a request that contradicts itself, InputError for what is missing or too small.
    """
    check_request(request)
    if "translation" in request.parts and request.bitext is not None:
        direction_of(store, request.bitext.source, request.bitext.target)  # before anything is computed
        for name in request.bitext.systems:
            system_named(name).check(store, request.bitext.source, request.bitext.target)
    scales: dict[str, Scale] = {}
    for language, recipe in request.recipes.items():
        scales[language] = yield from scale_of(store, language, recipe)
    profiles: list[LanguageProfile] = []
    if {"table", "correlations"} & {*request.parts}:
        for language, recipe in request.recipes.items():
            profiles.append((yield from language_profile(store, scales[language], recipe, request.corpus)))
    perplexity: list[PerplexityCurves] = []
    if "perplexity" in request.parts:
        for scale in scales.values():
            perplexity.append((yield from perplexity_curves(store, request, scale)))
    translation = None
    if "translation" in request.parts and request.bitext is not None:
        scale = scales[request.bitext.selected_by]
        translation = yield from translation_curves(store, request, request.bitext, scale)
    return HomogeneityStudy(
        request,
        tuple(profiles),
        tuple(correlations_of(profiles)) if "correlations" in request.parts else (),
        tuple(perplexity),
        translation,
    )
