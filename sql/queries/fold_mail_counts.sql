-- name: fold_mail_counts
-- Adds up the counts of messages where so many rows have gathered that it pays. $1 how many
select case when (select count(*) from (select from email_counts limit $1::int) c) >= $1::int then email_fold_counts()
       else 0 end
