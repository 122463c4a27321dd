# bash completion of bankstripe, of what the program lists
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

_bankstripe() {
  local cur=${COMP_WORDS[COMP_CWORD]} option='' command=${COMP_WORDS[1]} choices at
  # `--layout=st` is three words.
  if [[ $cur == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} cur=''
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [[ $command == wrap && $COMP_CWORD -gt 1 ]]; then
    for ((at = 2; at < COMP_CWORD; ++at)); do
      if [[ ${COMP_WORDS[at]} != [-=]* && ${COMP_WORDS[at - 1]} != = ]]; then
        declare -F _command_offset >/dev/null && _command_offset "$at"
        return
      fi
    done
    [[ $cur == -* || $option ]] || { mapfile -t COMPREPLY < <(compgen -c -- "$cur"); return; }
  fi
  if [[ $COMP_CWORD == 1 ]]; then
    choices=$("$1" --help | sed -n 's/^  \([a-z]*\) *- .*/\1/p')
  elif [[ $option == --gpu-arch ]]; then
    choices=$("$1" analyze --gpu-arch=none . 2>&1 | grep -o 'sm_[0-9]*') # Those that there are.
  elif [[ $option ]]; then
    choices=$("$1" "$command" --help | awk -v o="$option=" \
      '/^  -/ { on = index($1, o) == 1 } on && /^    =/ { print substr($1, 2) }')
  elif [[ $cur == -* ]]; then
    choices=$("$1" "$command" --help | sed -n 's/^  \(-[a-z-]*=\{0,1\}\).*/\1/p')
  elif [[ $command == reason ]]; then
    choices=$("$1" reason | cut -d ' ' -f 1)
  fi
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$cur")
  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _bankstripe bankstripe
