# What zsh completes after the line $1, with the script `zsh` of this folder: lines of OFFER:word.
# Completion works only in a terminal, in which this file is sourced without $1.
if (( $# )); then
  zmodload zsh/zpty
  zpty terminal zsh -fi
  zpty -w terminal "source ${0:A}"
  zpty -r terminal output '*READY*'
  zpty -w -n terminal "$1"$'\t\C-X'
  zpty -r terminal output '*DONE*'
  print -r -- $output
  return
fi

PROMPT=
autoload -Uz compinit; compinit -D
source ./zsh
compadd() { # prints the words that match, in place of showing them
  [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return }
  local -a hits
  builtin compadd -O hits "$@"
  (( $#hits )) && print -rl -- OFFER:$^hits
  return 0
}
finish() { print DONE; exit }
zle -C offer complete-word _main_complete
bindkey '^I' offer
zle -N finish
bindkey '^X' finish
zle-line-init() { print READY } # earlier, keys would reach the terminal instead
zle -N zle-line-init
