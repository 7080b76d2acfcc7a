"""One question, one way: whatever the door, a `Question` goes to `ask` and comes back as an `Outcome`."""

from __future__ import annotations

from fsoft.ask.programs import Programs
from fsoft.ask.question import Observer, Outcome, Question, about_states, check_question
from fsoft.ask.states import ask_states


def ask(question: Question, observer: Observer | None = None, programs: Programs | None = None) -> Outcome:
    """The answers to a question: about states, if properties of states are asked, then about every formula. What cannot be asked so is
    Unanswered, bad input an InputError; limits that strike
    are in the outcome. `programs` keeps
    what has been read for the next question about the same text."""
    check_question(question)
    observer = observer or Observer()
    outcome = Outcome(question, [])
    if question.options.checks or not question.formulas:
        ask_states(about_states(question), outcome, observer, programs or Programs(question.sources, question.bits, question.cpp))
    if question.formulas:
        from fsoft.ask.executions import ask_executions  # temporal logic is seldom asked for, and takes a while to import

        ask_executions(question, outcome, observer)
    return outcome


__all__ = ["ask"]
