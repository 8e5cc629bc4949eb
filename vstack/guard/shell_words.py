"""A shell command line taken apart into simple commands: words, redirections, pipes, and the commands inside words."""

from __future__ import annotations

UNKNOWN = "\0"  # stands in a word for what only a run would tell, such as `$(...)`
NAME, NAME_END = "\6", "\7"  # around the name of a variable
_GLOB = {"*": "\1", "?": "\2", "[": "\3", "{": "\4", "~": "\5"}  # unquoted, so that they mean something
GLOB_MARKS = {mark: char for char, mark in _GLOB.items()}


class Unreadable(Exception):
    """A quote or bracket that is never closed."""


class Command:
    """One simple command. ``reads`` and ``writes`` are targets of redirections, ``here`` the text of a here-document.

    ``piped`` says that its standard input is the output of the command before
    it; ``depth`` counts the subshells around it; ``inner`` are command lines
    that stand inside its words.
    """

    def __init__(self, *, piped: bool = False, depth: int = 0) -> None:
        self.words: list[str] = []
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.here: list[str] = []
        self.inner: list[str] = []
        self.piped = piped
        self.depth = depth


def parse(text: str) -> list[Command]:
    """The simple commands of ``text`` in order; words lose their quotes.

    Raises:
        Unreadable: the text ends inside a quote or a substitution.
    """
    return _Parser(text).commands()


def _unescaped(body: str) -> str:
    """What `$'...'` stands for; UNKNOWN where Python's escapes are not the shell's."""
    if "\\" not in body:
        return body
    try:
        return body.encode("ascii").decode("unicode_escape")
    except UnicodeError:
        return UNKNOWN


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text.replace("\\\n", "")
        self.at = 0
        self.found: list[Command] = []
        self.current = Command()
        self.word: list[str] | None = None
        self.target = ""  # the redirection that the next word belongs to
        self.waiting: list[tuple[Command, str, bool]] = []
        self.depth = 0

    def commands(self) -> list[Command]:
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char == "\n":
                self._end_command(False)
                self.at += 1
                self._here_documents()
            elif char in " \t\r":
                self._end_word()
                self.at += 1
            elif char == "#" and self.word is None:
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif char in ";&|()":
                self._operator(char)
            elif char in "<>":
                self._redirection(char)
            else:
                self._part(char)
        self._end_command(False)
        return self.found

    def _operator(self, char: str) -> None:
        text = self.text
        if char == "&" and text[self.at + 1 : self.at + 2] == ">":
            self._redirection("&")
            return
        # `|&` pipes both outputs, `||` does not pipe; `>|` and `>&` are taken by the redirection.
        pipe = char == "|" and text[self.at + 1 : self.at + 2] != "|"
        self._end_command(pipe)
        if char in "()":
            self.depth += 1 if char == "(" else -1
            self.current.depth = self.depth
            self.at += 1
            return
        self.at += 2 if text[self.at : self.at + 2] in ("&&", "||", "|&", ";;") else 1

    def _redirection(self, char: str) -> None:
        text, start = self.text, self.at
        if self.word is not None and "".join(self.word).isdigit():
            self.word = None  # a file descriptor
        self._end_word()
        for form in ("<<<", "<<-", "&>>", "<<", "<>", "<&", "<(", ">(", ">>", ">|", ">&", "&>", "<", ">"):
            if text.startswith(form, start):
                break
        self.at = start + len(form)
        if form in ("<(", ">("):
            self.current.inner.append(self._until(")", form))
            self.word = [UNKNOWN]
            return
        while self.at < len(text) and text[self.at] in " \t":
            self.at += 1
        if form.endswith("&") and text[self.at : self.at + 1] in "0123456789-":
            while self.at < len(text) and text[self.at] in "0123456789-":
                self.at += 1
            return
        self.target = form

    def _part(self, char: str) -> None:
        text = self.text
        if self.word is None:
            self.word = []
        if char == "'":
            end = text.find("'", self.at + 1)
            if end < 0:
                raise Unreadable
            self.word.append(text[self.at + 1 : end])
            self.at = end + 1
        elif char == '"':
            self._double()
        elif char == "\\":
            self.word.append(text[self.at + 1 : self.at + 2])
            self.at += 2
        elif char == "$" or char == "`":
            self._substitution()
        else:
            known = char in _GLOB and (char != "~" or not self.word)
            self.word.append(_GLOB[char] if known else char)
            self.at += 1

    def _double(self) -> None:
        assert self.word is not None
        text = self.text
        self.word.append("")
        self.at += 1
        while True:
            if self.at >= len(text):
                raise Unreadable
            char = text[self.at]
            if char == '"':
                self.at += 1
                return
            if char == "\\" and text[self.at + 1 : self.at + 2] in ('"', "\\", "$", "`"):
                self.word.append(text[self.at + 1])
                self.at += 2
            elif char in "$`":
                self._substitution()
            else:
                self.word.append(char)
                self.at += 1

    def _substitution(self) -> None:
        """`$(...)`, backticks, `$X`, `${X}`, `$'...'`: commands are kept, names become marks to be filled in."""
        assert self.word is not None
        text, next_char = self.text, self.text[self.at + 1 : self.at + 2]
        if text[self.at] == "`":
            self.at += 1
            self.current.inner.append(self._until("`", "`"))
            self.word.append(UNKNOWN)
        elif next_char == "(":
            self.at += 2
            self.current.inner.append(self._until(")", "$("))
            self.word.append(UNKNOWN)
        elif next_char == "'":
            end = self.at + 2
            while end < len(text) and text[end] != "'":
                end += 2 if text[end] == "\\" else 1
            if end >= len(text):
                raise Unreadable
            self.word.append(_unescaped(text[self.at + 2 : end]))
            self.at = end + 1
        elif next_char == "{":
            end = text.find("}", self.at)
            if end < 0:
                raise Unreadable
            name = text[self.at + 2 : end]
            self.word.append(f"{NAME}{name}{NAME_END}" if name.isidentifier() else UNKNOWN)
            self.at = end + 1
        else:
            end = self.at + 1
            while end < len(text) and (text[end].isalnum() or text[end] == "_"):
                end += 1
            name = text[self.at + 1 : end]
            if name:
                self.word.append(f"{NAME}{name}{NAME_END}")
            elif next_char and next_char in "@*#?$!-":
                self.word.append(UNKNOWN)
                end += 1
            else:
                self.word.append("$")
            self.at = end

    def _until(self, closing: str, opening: str) -> str:
        """The text up to the closing mark, nested brackets and quotes passed over."""
        text, start, depth = self.text, self.at, 1
        while self.at < len(text):
            char = text[self.at]
            if char == "\\":
                self.at += 1
            elif char in "'\"" and opening != "`":
                end = self.at + 1
                while end < len(text) and text[end] != char:
                    end += 2 if char == '"' and text[end] == "\\" else 1
                self.at = end
            elif char == closing and (depth := depth - 1) == 0:
                self.at += 1
                return text[start : self.at - 1]
            elif char == "(" and closing == ")":
                depth += 1
            self.at += 1
        raise Unreadable

    def _end_word(self) -> None:
        if self.word is None:
            return
        word, self.word = "".join(self.word), None
        if not self.target:
            self.current.words.append(word)
        elif self.target == "<<<":
            self.current.here.append(word)
        elif self.target.startswith("<<"):
            self.waiting.append((self.current, word, self.target == "<<-"))
        elif self.target == "<":
            self.current.reads.append(word)
        elif self.target != "<&":
            self.current.writes.append(word)
        self.target = ""

    def _end_command(self, pipe: bool) -> None:
        self._end_word()
        self.target = ""
        done = self.current
        if done.words or done.writes or done.inner:
            self.found.append(done)
        self.current = Command(piped=pipe, depth=self.depth)

    def _here_documents(self) -> None:
        for command, mark, tabs in self.waiting:
            lines = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = min(end + 1, len(self.text))
                if (line.lstrip("\t") if tabs else line) == mark:
                    break
                lines.append(line)
            command.here.append("\n".join(lines) + "\n")
        self.waiting = []
